import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An example workflow of the documentation. */
export interface Example {
  readonly name: string;
  /** The Markdown file that holds it, relative to the root of the repository. */
  readonly file: string;
  /** The workflow. */
  readonly text: string;
}

/**
 * Returns the workflows between `<!-- example: NAME -->` and `<!-- end example -->` in README.md and docs/*.md. Throws
 * if a marker is not closed, or if there is anything but one YAML code block between the two.
 */
export function readExamples(root: string): Example[] {
  const docs = readdirSync(root).includes('docs') ? readdirSync(join(root, 'docs')) : [];
  const pages = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  return ['README.md', ...pages].flatMap((file) =>
    parseExamples(file, readFileSync(join(root, file), 'utf8')),
  );
}

/** Returns the examples in the text of a Markdown file; throws as `readExamples` does. */
export function parseExamples(file: string, markdown: string): Example[] {
  const starts = [...markdown.matchAll(/^<!-- example: (\S+) -->$/gm)];
  return starts.map(({ 0: marker, 1: name = '', index }) => {
    const [block = '', ...rest] = markdown.slice(index + marker.length).split('<!-- end example -->');
    const text = /^\s*```ya?ml\n([\s\S]*?\n)```\s*$/.exec(block)?.[1];
    if (text === undefined || rest.length === 0) {
      throw new Error(`${file}: the example ${name} is not one YAML code block with an end`);
    }
    return { name, file, text };
  });
}
