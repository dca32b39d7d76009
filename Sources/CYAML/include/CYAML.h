#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libyaml's event parser behind calls that take and return only plain values. Every index is checked. The caller's
// only duty is to close each reader once and not to use it afterwards, which one noncopyable Swift type ensures.

#define CYAML_SAFE __attribute__((swift_attr("@safe")))

typedef enum __attribute__((enum_extensibility(closed))) : int32_t {
    cyaml_kind_failed,         // the text is a sentence about what is wrong, never bytes of the input
    cyaml_kind_end,
    cyaml_kind_document_start,
    cyaml_kind_document_end,
    cyaml_kind_alias,
    cyaml_kind_scalar,         // the text is the value
    cyaml_kind_sequence_start,
    cyaml_kind_sequence_end,
    cyaml_kind_mapping_start,
    cyaml_kind_mapping_end,
} cyaml_kind;

typedef struct {
    cyaml_kind kind;
    int32_t line;         // from 1
    int32_t column;       // from 1, in characters
    bool is_plain;        // a scalar without quotes and not a block
    bool has_anchor;
    bool has_tag;
    size_t text_count;    // bytes for cyaml_text_byte
} cyaml_event;

typedef struct CYAML_SAFE {
    void *implementation; // null after an allocation failed; every call bears it
} cyaml_reader;

cyaml_reader cyaml_open(void) CYAML_SAFE;
void cyaml_close(cyaml_reader reader) CYAML_SAFE;

// Adds one byte of input; ignored once reading has begun. False if out of memory.
bool cyaml_append(cyaml_reader reader, uint8_t byte) CYAML_SAFE;

// After cyaml_kind_failed or cyaml_kind_end, every further call returns the same.
cyaml_event cyaml_next(cyaml_reader reader) CYAML_SAFE;

// One byte of the last event's text; 0 when the index is not below text_count.
uint8_t cyaml_text_byte(cyaml_reader reader, size_t index) CYAML_SAFE;
