import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** A node of a Markdown document; missing parts are undefined. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly depth?: number;
  readonly children?: readonly MarkdownNode[];
}

const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** The document as GitHub reads it, bare addresses included: it links those after escapes are undone. */
export function parseMarkdown(markdown: string): MarkdownNode {
  return fromMarkdown(markdown, options);
}

/** The node and everything below it, in the order of the document. */
export function* walk(node: MarkdownNode): Generator<MarkdownNode> {
  yield node;
  for (const child of node.children ?? []) {
    yield* walk(child);
  }
}
