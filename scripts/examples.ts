import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A workflow that people copy as it stands. */
export interface Example {
  /** Its path, relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** Returns the workflows in the folder `examples`. */
export function readExamples(root: string): Example[] {
  return readdirSync(join(root, 'examples')).map((name) => ({
    path: `examples/${name}`,
    text: readFileSync(join(root, 'examples', name), 'utf8'),
  }));
}

/** Returns who owns the action that the examples use, and at which version they use it. */
export function readOrigin(root: string): { owner: string; version: string } {
  const text = readFileSync(join(root, 'examples', 'docs.yml'), 'utf8');
  const { owner, version } =
    /uses: (?<owner>.+)\/docs-agent-action.*@(?<version>\S+)/.exec(text)?.groups ?? {};
  if (owner === undefined || version === undefined) {
    throw new Error('examples/docs.yml does not use the action');
  }
  return { owner, version };
}
