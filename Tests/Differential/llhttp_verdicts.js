// llhttp's side of the comparison: judges each message of the standard input, as README.md says.
// Node's own parser, without its HTTP server, which would refuse and repair on its own account.
'use strict';
process.removeAllListeners('warning');
const { HTTPParser, methods } = process.binding('http_parser');
const parser = new HTTPParser();

const hex = (text) => text.length ? Buffer.from(text, 'latin1').toString('hex') : '-';

function judge(kind, bytes) {
  const isRequest = kind === 'request';
  const method = isRequest ? '' : kind.slice('response-'.length);
  let head = null, isComplete = false, target = '', fields = [], trailers = [], content = [];
  parser.initialize(isRequest ? HTTPParser.REQUEST : HTTPParser.RESPONSE, {}, 1 << 20, HTTPParser.kLenientNone);
  parser[HTTPParser.kOnHeaders] = (lines, url) => {
    (head ? trailers : fields).push(...lines);
    target += url;
  };
  parser[HTTPParser.kOnHeadersComplete] = (major, minor, lines, index, url, status, reason) => {
    if (lines) fields.push(...lines);
    head = isRequest ? [methods[index], url || target, `${major}.${minor}`] : [`${status}`, reason, `${major}.${minor}`];
    if (method === 'HEAD') return 1;
    return method === 'CONNECT' && status >= 200 && status < 300 ? 2 : 0;
  };
  parser[HTTPParser.kOnBody] = (part) => { content.push(Buffer.from(part)); };
  parser[HTTPParser.kOnMessageComplete] = () => { isComplete = true; };
  const parts = () => {
    const lines = [];
    for (let index = 0; index < fields.length; index += 2) lines.push(hex(`${fields[index]}: ${fields[index + 1]}`));
    const body = Buffer.concat(content).toString('latin1');
    return [hex(head[0]), hex(head[1]), head[2], lines.join(',') || '-', hex(body)].join(' ');
  };
  // Byte by byte, to know where the message ends.
  for (let index = 0; index < bytes.length; index++) {
    const result = parser.execute(bytes.subarray(index, index + 1));
    if (isComplete) return `accepted ${parts()} ${index + 1}`;
    if (result instanceof Error) return `refused ${result.code}`;
  }
  const result = parser.finish();
  if (isComplete) return `accepted ${parts()} ${bytes.length}`;
  if (result instanceof Error && result.code !== 'HPE_INVALID_EOF_STATE') return `refused ${result.code}`;
  return head ? `partial ${parts()} -` : 'incomplete';
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const [kind, digits] = line.split(' ');
  console.log(judge(kind, Buffer.from(digits, 'hex')));
});
