import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** A node of a Markdown document. Missing parts are undefined. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly depth?: number;
  readonly children?: readonly MarkdownNode[];
}

const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Parses a document as GitHub does, which links bare addresses after it unescapes text. */
export function parseMarkdown(markdown: string): MarkdownNode {
  return fromMarkdown(markdown, options);
}
