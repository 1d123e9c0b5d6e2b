import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** An example workflow of the documentation. */
export interface Example {
  readonly name: string;
  /** The Markdown file that holds it, relative to the root of the repository. */
  readonly file: string;
  /** The workflow, complete. */
  readonly text: string;
}

/** An example as it stands on its page: a workflow, or the changes to one. */
interface Block extends Example {
  /** Name of the workflow that the text changes. */
  readonly base: string | undefined;
}

/**
 * Returns the workflows between `<!-- example: NAME -->` and `<!-- end example -->` in README.md
 * and docs/*.md, and those that `<!-- example: NAME, changes BASE -->` describes by their
 * differences from another example. Throws if a marker is not closed, if there is anything but one
 * YAML code block between the two, or if there is no workflow to change.
 */
export function readExamples(root: string): Example[] {
  const docs = readdirSync(root).includes('docs') ? readdirSync(join(root, 'docs')) : [];
  const pages = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  const blocks = ['README.md', ...pages].flatMap((file) =>
    parseExamples(file, readFileSync(join(root, file), 'utf8')),
  );
  const complete = ({ base, name, file, text }: Block): string => {
    if (base === undefined) return text;
    const changed = blocks.find((block) => block.name === base);
    if (changed === undefined)
      throw new Error(`${file}: ${name} changes ${base}, which is no workflow`);
    return changeWorkflow(complete(changed), text);
  };
  return blocks.map((block) => ({ name: block.name, file: block.file, text: complete(block) }));
}

/**
 * Returns the examples in the text of a Markdown file as they stand there; throws as `readExamples`
 * does.
 */
export function parseExamples(file: string, markdown: string): Block[] {
  const starts = [...markdown.matchAll(/^<!-- example: ([^\s,]+)(?:, changes (\S+))? -->$/gm)];
  return starts.map(({ 0: marker, 1: name = '', 2: base, index }) => {
    const [block = '', ...rest] = markdown
      .slice(index + marker.length)
      .split('<!-- end example -->');
    const text = /^\s*```ya?ml\n([\s\S]*?\n)```\s*$/.exec(block)?.[1];
    if (text === undefined || rest.length === 0) {
      throw new Error(`${file}: the example ${name} is not one YAML code block with an end`);
    }
    return { name, base, file, text };
  });
}

/**
 * Returns a workflow with changes, as a reader would make them: `on` and plain values are replaced,
 * mappings are merged, and a list takes the place of the other one, except that an item completes
 * the item with the same `id`.
 */
export function changeWorkflow(workflow: string, changes: string): string {
  const { on, ...jobs } = parse(changes) as Record<string, unknown>;
  const merged = merge(parse(workflow), jobs) as Record<string, unknown>;
  return stringify(on === undefined ? merged : { ...merged, on }, { lineWidth: 0 });
}

function merge(old: unknown, change: unknown): unknown {
  if (Array.isArray(old) && Array.isArray(change)) {
    return change.map((item) =>
      merge(
        old.find(({ id }) => id !== undefined && id === item?.id),
        item,
      ),
    );
  }
  if (!isMapping(old) || !isMapping(change)) return change;
  const merged = Object.entries(change).map(([key, value]) => [key, merge(old[key], value)]);
  return { ...old, ...Object.fromEntries(merged) };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
