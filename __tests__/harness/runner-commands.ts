/** A workflow command in the output of a step. */
export interface RunnerCommand {
  /** The line without its end. */
  text: string;
  syntax: '::' | '##[';
  /** Lower case: the runner ignores the case of names. */
  name: string;
  properties: Record<string, string>;
  data: string;
}

const registeredNames =
  'add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher save-state set-env ' +
  'set-output stop-commands warning';

// Some runners compare by code unit, others by culture: on a machine with ICU, invisible characters
// between two characters of a needle do not count.
const ignorable = String.raw`(?:(?![\t-\r\x85])[\p{Cc}\p{Default_Ignorable_Code_Point}])*`;
const colons = new RegExp(`:${ignorable}:`, 'u');
const bracket = new RegExp(`#${ignorable}#${ignorable}\\[`, 'u');

/**
 * Splits the text of a stream into commands and plain lines by the rules of actions/runner
 * (ActionCommand.cs, ActionCommandManager.cs): `::name key=value,…::data` at the start of a line,
 * `##[name key=value;…]data` anywhere in it, and no commands between `stop-commands` and its token.
 * Where runners differ, it finds the commands of all of them.
 */
export function parseCommands(text: string) {
  const names = new Set(registeredNames.split(' '));
  const commands: RunnerCommand[] = [];
  /** The other lines. */
  const plainLines: string[] = [];
  let stopToken: string | undefined;
  for (const line of text.replace(/(?:\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/)) {
    const command = parseLine(line, names);
    if (stopToken !== undefined && command?.name === stopToken) {
      names.delete(stopToken);
      stopToken = undefined;
    } else if (stopToken !== undefined || command === undefined) {
      plainLines.push(line);
    } else {
      commands.push({ text: line, ...command });
      if (command.name === 'stop-commands' && isStopToken(command.data, names)) {
        stopToken = command.data.toLowerCase();
        names.add(stopToken);
      }
    }
  }
  return { commands, plainLines };
}

function isStopToken(token: string, names: Set<string>): boolean {
  const name = token.toLowerCase();
  return name !== '' && name !== 'pause-logging' && !names.has(name);
}

type CommandParts = Omit<RunnerCommand, 'text'>;

// White space in .NET has U+0085 and lacks U+FEFF, unlike String.prototype.trim.
const whiteSpace = String.raw`[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+`;
const outerSpace = new RegExp(`^${whiteSpace}|${whiteSpace}$`, 'g');
const leadingSpace = new RegExp(`^${whiteSpace}`);

function parseLine(line: string, names: Set<string>): CommandParts | undefined {
  const parts = parseColonLine(line);
  return parts && names.has(parts.name) ? parts : parseBracketLine(line, names);
}

function parseColonLine(line: string): CommandParts | undefined {
  const message = line.replace(leadingSpace, '');
  const rest = message.slice(2);
  const end = message.startsWith('::') ? rest.search(colons) : -1;
  if (end < 0) {
    return undefined;
  }
  const { name, list } = splitHead(rest.slice(0, end));
  const properties = parseProperties(list.replace(outerSpace, ''));
  const data = decodeEscapes(rest.slice(end + 2), ['%0D', '%0A', '%25']);
  return { syntax: '::', name, properties, data };
}

/** The action never writes such a command, so nothing reads its properties. */
function parseBracketLine(line: string, names: Set<string>): CommandParts | undefined {
  const start = line.search(bracket);
  const end = start < 0 ? -1 : line.indexOf(']', start);
  const { name } = splitHead(line.slice(line.indexOf('[', start) + 1, Math.max(0, end)));
  const isCommand = end >= 0 && names.has(name);
  return isCommand ? { syntax: '##[', name, properties: {}, data: line.slice(end + 1) } : undefined;
}

function splitHead(head: string): { name: string; list: string } {
  const [, name = '', list = ''] = /^([^ ]*) ?([\s\S]*)$/.exec(head) ?? [];
  return { name: name.toLowerCase(), list };
}

function parseProperties(list: string): Record<string, string> {
  const pairs = list.split(',').flatMap((item) => {
    const [, key, value] = /^=*([^=]+)=+([\s\S]+)$/.exec(item) ?? [];
    const isPair = key !== undefined && value !== undefined;
    return isPair ? [[key, decodeEscapes(value, ['%0D', '%0A', '%3A', '%2C', '%25'])]] : [];
  });
  return Object.fromEntries(pairs);
}

// Replaces one after the other, `%25` last, as the runner does.
function decodeEscapes(text: string, escapes: string[]): string {
  return escapes.reduce((result, code) => result.replaceAll(code, decodeURIComponent(code)), text);
}
