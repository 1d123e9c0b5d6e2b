import { styleText } from 'node:util';

export interface LogViewOptions {
  readonly color: boolean;
  /** Whether debug lines are shown; a runner hides them unless debug logging is on. */
  readonly debug: boolean;
}

const labels: Readonly<Record<string, [label: string, style: 'red' | 'yellow' | 'blue' | 'gray']>> = {
  error: ['Error', 'red'],
  warning: ['Warning', 'yellow'],
  notice: ['Notice', 'blue'],
  debug: ['Debug', 'gray'],
};

/**
 * Returns a function that turns a line of an action's stdout or stderr into what the log of a run shows, or
 * `undefined` if that is nothing. It remembers groups and masks. Grammar of `::name key=value::data` after
 * `ActionCommand.cs` of actions/runner.
 */
export function createLogView({ color, debug }: LogViewOptions): (line: string) => string | undefined {
  const masks = new Set<string>();
  let indent = '';

  const paint = (style: 'red' | 'yellow' | 'blue' | 'gray' | 'bold', text: string): string =>
    color ? styleText(style, text) : text;

  function show(text: string): string {
    let shown = text;
    for (const mask of masks) shown = shown.replaceAll(mask, '***');
    return `${indent}${toPrintable(shown)}`;
  }

  return (line) => {
    const [, name, properties = '', data = ''] = /^\s*::([^\s:]+)(?: (.*?))?::(.*)$/.exec(line) ?? [];
    const text = unescapeData(data);
    switch (name) {
      case undefined:
        return show(line);
      case 'add-mask':
        for (const part of text.split(/[\r\n]+/)) if (part.trim() !== '') masks.add(part);
        return undefined;
      case 'group': {
        const title = paint('bold', show(`▼ ${text}`));
        indent = '  ';
        return title;
      }
      case 'endgroup':
        indent = '';
        return undefined;
      case 'debug':
        if (!debug) return undefined;
    }
    const [label, style] = labels[name] ?? [`Command ${name}`, 'red'];
    const title = /(?:^|,)title=([^,]*)/.exec(properties)?.[1];
    const prefix = title === undefined ? label : `${label}: ${unescapeProperty(title)}`;
    return paint(style, show(`${prefix}: ${text}`));
  };
}

/** Returns the text with every control character but tab and line feed made visible. */
export function toPrintable(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, (control) => {
    return `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapeProperty(text: string): string {
  return unescapeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
}
