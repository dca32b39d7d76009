#include "CYAML.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef struct {
    yaml_parser_t parser;
    bool has_parser;
    yaml_event_t event;
    bool has_event;
    cyaml_event last;
    const char *text; // in `event`, or a constant of libyaml; last.text_count bytes
    uint8_t *input;
    size_t count;
    size_t capacity;
} reader_state;

cyaml_reader cyaml_open(void) {
    return (cyaml_reader){calloc(1, sizeof(reader_state))};
}

void cyaml_close(cyaml_reader reader) {
    reader_state *state = reader.implementation;
    if (state == NULL) return;
    if (state->has_event) yaml_event_delete(&state->event);
    if (state->has_parser) yaml_parser_delete(&state->parser);
    free(state->input);
    free(state);
}

bool cyaml_append(cyaml_reader reader, uint8_t byte) {
    reader_state *state = reader.implementation;
    if (state == NULL) return false;
    if (state->has_parser) return true;
    if (state->count == state->capacity) {
        size_t capacity = state->capacity == 0 ? 4096 : state->capacity * 2;
        if (capacity < state->capacity) return false;
        uint8_t *input = realloc(state->input, capacity);
        if (input == NULL) return false;
        state->input = input;
        state->capacity = capacity;
    }
    state->input[state->count++] = byte;
    return true;
}

static cyaml_event failed(reader_state *state, const char *problem, size_t line, size_t column) {
    state->text = problem;
    state->last = (cyaml_event){
        .kind = cyaml_kind_failed,
        .line = (int32_t)line,
        .column = (int32_t)column,
        .text_count = strlen(problem),
    };
    return state->last;
}

// libyaml's reader knows only the offset of a byte that it refuses.
static cyaml_event failed_at_offset(reader_state *state, const char *problem, size_t offset) {
    size_t line = 1, column = 1;
    for (size_t index = 0; index < offset && index < state->count; index++) {
        uint8_t byte = state->input[index];
        if (byte == '\n') {
            line++;
            column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            column++;
        }
    }
    return failed(state, problem, line, column);
}

static cyaml_event parser_failed(reader_state *state) {
    const yaml_parser_t *parser = &state->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "out of memory";
    if (parser->error == YAML_READER_ERROR) return failed_at_offset(state, problem, parser->problem_offset);
    return failed(state, problem, parser->problem_mark.line + 1, parser->problem_mark.column + 1);
}

static cyaml_event found(reader_state *state, cyaml_kind kind, const void *anchor, const void *tag) {
    state->last = (cyaml_event){
        .kind = kind,
        .line = (int32_t)(state->event.start_mark.line + 1),
        .column = (int32_t)(state->event.start_mark.column + 1),
        .has_anchor = anchor != NULL,
        .has_tag = tag != NULL,
    };
    return state->last;
}

static cyaml_event found_scalar(reader_state *state) {
    const yaml_event_t *event = &state->event;
    found(state, cyaml_kind_scalar, event->data.scalar.anchor, event->data.scalar.tag);
    state->text = (const char *)event->data.scalar.value;
    state->last.text_count = event->data.scalar.length;
    state->last.is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return state->last;
}

cyaml_event cyaml_next(cyaml_reader reader) {
    reader_state *state = reader.implementation;
    if (state == NULL) return (cyaml_event){.kind = cyaml_kind_failed, .line = 1, .column = 1};
    if (!state->has_parser) {
        if (!yaml_parser_initialize(&state->parser)) return failed(state, "out of memory", 1, 1);
        state->has_parser = true;
        // Set, not detected: a byte order mark must not switch a file of secrets to UTF-16.
        yaml_parser_set_encoding(&state->parser, YAML_UTF8_ENCODING);
        const uint8_t *input = state->input != NULL ? state->input : (const uint8_t *)"";
        yaml_parser_set_input_string(&state->parser, input, state->count);
    } else if (state->last.kind == cyaml_kind_failed || state->last.kind == cyaml_kind_end) {
        return state->last;
    }
    for (;;) {
        if (state->has_event) yaml_event_delete(&state->event);
        state->has_event = false;
        state->text = NULL;
        if (!yaml_parser_parse(&state->parser, &state->event)) return parser_failed(state);
        state->has_event = true;
        const yaml_event_t *event = &state->event;
        switch (event->type) {
        case YAML_NO_EVENT:
        case YAML_STREAM_START_EVENT: continue;
        case YAML_STREAM_END_EVENT: return found(state, cyaml_kind_end, NULL, NULL);
        case YAML_DOCUMENT_START_EVENT: return found(state, cyaml_kind_document_start, NULL, NULL);
        case YAML_DOCUMENT_END_EVENT: return found(state, cyaml_kind_document_end, NULL, NULL);
        case YAML_ALIAS_EVENT: return found(state, cyaml_kind_alias, NULL, NULL);
        case YAML_SCALAR_EVENT: return found_scalar(state);
        case YAML_SEQUENCE_START_EVENT:
            return found(
                state, cyaml_kind_sequence_start, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        case YAML_SEQUENCE_END_EVENT: return found(state, cyaml_kind_sequence_end, NULL, NULL);
        case YAML_MAPPING_START_EVENT:
            return found(state, cyaml_kind_mapping_start, event->data.mapping_start.anchor, event->data.mapping_start.tag);
        case YAML_MAPPING_END_EVENT: return found(state, cyaml_kind_mapping_end, NULL, NULL);
        }
    }
}

uint8_t cyaml_text_byte(cyaml_reader reader, size_t index) {
    const reader_state *state = reader.implementation;
    if (state == NULL || state->text == NULL || index >= state->last.text_count) return 0;
    return (uint8_t)state->text[index];
}
