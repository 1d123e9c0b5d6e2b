import { styleText } from 'node:util';
import { parseCommands } from '../../harness/runner-commands.ts';

export interface LogViewOptions {
  readonly color: boolean;
  /** Whether debug lines are shown; a runner hides them unless debug logging is on. */
  readonly debug: boolean;
}

const labels: Readonly<Record<string, [label: string, style: 'red' | 'yellow' | 'blue' | 'gray']>> =
  {
    error: ['Error', 'red'],
    warning: ['Warning', 'yellow'],
    notice: ['Notice', 'blue'],
    debug: ['Debug', 'gray'],
  };

/**
 * Returns a function that turns a line of an action's stdout or stderr into its line in the log of
 * a run, or into `undefined` if the log hides it. It remembers groups and masks.
 */
export function createLogView({
  color,
  debug,
}: LogViewOptions): (line: string) => string | undefined {
  const masks: string[] = [];
  let indent = '';

  const paint = (style: 'red' | 'yellow' | 'blue' | 'gray' | 'bold', text: string): string =>
    color ? styleText(style, text) : text;
  const hide = (text: string): string =>
    masks.reduce((shown, mask) => shown.replaceAll(mask, '***'), text);
  const show = (text: string): string => `${indent}${toPrintable(hide(text))}`;

  return (line) => {
    const [command] = parseCommands(line).commands;
    if (command === undefined) return show(line);
    const { name, properties, data } = command;
    switch (name) {
      case 'add-mask':
        masks.push(...toMasks(data));
        masks.sort((a, b) => b.length - a.length);
        return undefined;
      case 'group': {
        const title = paint('bold', show(`▼ ${data}`));
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
    const title = properties['title'];
    return paint(style, show(`${title === undefined ? label : `${label}: ${title}`}: ${data}`));
  };
}

/**
 * Returns the texts that `add-mask` hides: the value and each of its lines. A runner hides encoded
 * forms, too.
 */
function toMasks(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return [value, ...lines].filter((text) => text.trim() !== '');
}

/** Returns the text with every control character but tab and line feed made visible. */
export function toPrintable(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, (control) => {
    return `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
