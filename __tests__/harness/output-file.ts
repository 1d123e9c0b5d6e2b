/**
 * Reads an output file as actions/runner does (FileCommandManager.cs): `name=value` lines and
 * `name<<DELIMITER` blocks, of which the last value of each name wins. Throws if the runner would
 * fail the step.
 */
export function parseOutputFile(text: string): Record<string, string> {
  const lines = readLines(text.replace(/^\uFEFF/, ''));
  const pairs: [string, string][] = [];
  for (let line = lines.shift(); line; line = lines.shift()) {
    if (line.text === '') {
      continue;
    }
    const [, name = '', operator, rest = ''] = /^(.*?)(=|<<)([\s\S]*)$/s.exec(line.text) ?? [];
    if (operator === undefined) {
      throw new Error(`Invalid format '${line.text}'`);
    }
    if (name === '') {
      throw new Error(`Invalid format '${line.text}'. Name must not be empty`);
    }
    pairs.push([name, operator === '=' ? rest : readBlock(lines, rest)]);
  }
  return Object.fromEntries(pairs);
}

function readLines(text: string) {
  const isWindows = process.platform === 'win32';
  const pattern = isWindows ? /([\s\S]*?)(\r?\n|$)/gy : /([\s\S]*?)(\n|$)/gy;
  return [...text.matchAll(pattern)].flatMap(([whole, line = '', end = '']) =>
    whole === '' ? [] : [{ text: line, end }],
  );
}

function readBlock(lines: ReturnType<typeof readLines>, delimiter: string): string {
  if (delimiter === '') {
    throw new Error('Invalid format. Delimiter must not be empty');
  }
  let value = '';
  let lastEnd = '';
  for (let line = lines.shift(); line; line = lines.shift()) {
    if (line.text === delimiter) {
      return value.slice(0, value.length - lastEnd.length);
    }
    if (line.end === '') {
      throw new Error('Invalid value. Line end missing before the end of the file');
    }
    value += line.text + line.end;
    lastEnd = line.end;
  }
  throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`);
}
