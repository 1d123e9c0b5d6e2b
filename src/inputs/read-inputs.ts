import { InputError } from '../errors.ts';
import type { JobRequest } from '../service/job.ts';
import { code, type Message, message } from '../text/message.ts';
import type { PathPattern } from '../text/path-pattern.ts';
import { holdsSecret } from '../text/redact.ts';
import { isZeros, LAST_RUN, toRefName } from './changes-since.ts';
import { INPUT_DEFAULTS } from './defaults.ts';
import type { Reuse } from './parsers.ts';
import * as parse from './parsers.ts';
import { readPromptFile } from './prompt-file.ts';

export interface Inputs {
  readonly projectId: string;
  readonly apiKey: string;
  readonly baseUrl: URL;
  readonly request: JobRequest;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
  readonly includeChanges: boolean;
  readonly reuse: Reuse;
  readonly dryRun: boolean;
  /** `release-tag`, or the tag of the event. */
  readonly tag: string | undefined;
  /** `changes-since` as written. Undefined if the event says where the changes begin. */
  readonly changesSince: string | undefined;
  readonly paths: readonly PathPattern[] | undefined;
}

/** What the inputs need to know of the event. */
export interface RunEventFacts {
  readonly eventName: string;
  readonly eventTag: string | undefined;
  readonly branch: string | undefined;
  readonly sha: string | undefined;
  /** Set for a push to a branch. */
  readonly before: string | undefined;
  readonly isWithoutSecrets: boolean;
}

type InputName = keyof typeof INPUT_DEFAULTS;
type Given = Readonly<{ [Name in InputName]?: string | undefined }>;

/** The inputs by name, in the order of action.yml. */
export const INPUT_NAMES = Object.keys(INPUT_DEFAULTS) as readonly InputName[];

/** Returns a trimmed input, or undefined if it is blank, like `getInput` of @actions/core. */
export function getInput(env: NodeJS.ProcessEnv, name: InputName): string | undefined {
  return env[toVariable(name)]?.trim() || undefined;
}

function toVariable(name: InputName): string {
  return `INPUT_${name.toUpperCase()}`;
}

/**
 * Reads the inputs and the prompt file. Throws an `InputError` with all problems, which never
 * quotes a secret.
 */
export function readInputs(env: NodeJS.ProcessEnv, event: RunEventFacts): Inputs {
  const texts = INPUT_NAMES.map((name) => [
    name,
    getInput(env, name) || INPUT_DEFAULTS[name] || undefined,
  ]);
  const given: Given = Object.fromEntries(texts);
  const problems = [...findMissing(given, event.isWithoutSecrets), ...findConflicts(given)];

  function read<T>(name: InputName, parseText: (text: string) => T): T | undefined {
    const text = given[name];
    try {
      return text === undefined ? undefined : parseText(refuseSecret(name, text, given));
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      problems.push(...error.problems.map((sentence) => message`${code(name)} ${sentence}`));
      return undefined;
    }
  }

  const prompt = read('prompt', parse.parsePrompt);
  const filePrompt = read('prompt-file', (path) => {
    const text = readPromptFile(env['GITHUB_WORKSPACE'] || process.cwd(), path);
    return parse.parsePrompt(refuseSecret('prompt-file', text, given));
  });
  /** Each of these has a value if the inputs are valid. */
  const values = {
    projectId: read('project-id', parse.parseProjectId),
    apiKey: read('api-key', parse.parseApiKey),
    baseUrl: read('base-url', parse.parseBaseUrl),
    request: createRequest(read('job-id', parse.parseJobId), prompt ?? filePrompt),
    wait: read('wait', parse.parseBoolean),
    timeoutMs: read('timeout-minutes', parse.parseTimeout),
    pollIntervalMs: read('poll-interval-seconds', parse.parsePollInterval),
    includeChanges: read('include-changes', parse.parseBoolean),
    reuse: read('reuse', parse.parseReuse),
    dryRun: read('dry-run', parse.parseBoolean),
  };
  const changesSince = read('changes-since', parse.parseChangesSince);
  const tag = read('release-tag', parse.parseTag) ?? event.eventTag;
  const paths = read('paths', parse.parsePaths);
  read('github-token', parse.parseToken);

  problems.push(...findUseProblems(given, values, { tag, changesSince }, event));
  problems.push(...findUnknown(env));
  if (problems.length > 0 || !isComplete(values)) {
    throw new InputError(problems);
  }
  return { ...values, tag, changesSince, paths };
}

function isComplete<T extends object>(
  values: T,
): values is { [K in keyof T]: Exclude<T[K], undefined> } {
  return !Object.values(values).includes(undefined);
}

/** Returns the text of an input. Rejects a text that contains the key or the token of the run. */
function refuseSecret(name: InputName, text: string, given: Given): string {
  if (name === 'api-key') {
    return text;
  }
  if (holdsSecret(text, given['api-key'] ?? '')) {
    return parse.refuse`contains the API key: remove it.`;
  }
  if (name !== 'github-token' && holdsSecret(text, given['github-token'] ?? '')) {
    return parse.refuse`contains the GitHub token: remove it.`;
  }
  return text;
}

/** Finds inputs that are missing. */
function findMissing(given: Given, isWithoutSecrets: boolean): Message[] {
  const problems: Message[] = [];
  if ((given.prompt ?? given['prompt-file'] ?? given['job-id']) === undefined) {
    problems.push(
      message`${code('prompt')} is missing: set ${code('prompt')} or ${code('prompt-file')}. To wait
        for an existing job, set ${code('job-id')}.`,
    );
  }
  if (given['project-id'] === undefined) {
    problems.push(
      message`${code('project-id')} is missing: copy the project id from the API keys page of your
        dashboard. If it comes from a variable, check that the variable is defined for this
        repository.`,
    );
  }
  if (given['api-key'] === undefined) {
    const advice = isWithoutSecrets
      ? message`Dependabot and pull requests from forks don't get Actions secrets. Skip the step
          in such runs.`
      : message`pass a secret that contains an admin API key. If you already do, check the name of
          the secret.`;
    problems.push(message`${code('api-key')} is missing: ${advice}`);
  }
  return problems;
}

/** Finds inputs that exclude each other. */
function findConflicts(given: Given): Message[] {
  const problems: Message[] = [];
  if (given.prompt !== undefined && given['prompt-file'] !== undefined) {
    problems.push(
      message`${code('prompt')} and ${code('prompt-file')} are both set: keep one of them.`,
    );
  }
  if (given.paths !== undefined && given['job-id'] !== undefined) {
    problems.push(message`${code('paths')} and ${code('job-id')} are both set: keep one of them.`);
  }
  return problems;
}

/** The parsed inputs that may need a range or a tag. Those with an invalid value are undefined. */
type RangeUsers = Readonly<{ [Name in 'includeChanges' | 'reuse']: Inputs[Name] | undefined }>;
type RangeInputs = Pick<Inputs, 'tag' | 'changesSince'>;

/** Finds inputs that need a range or a tag which the run lacks, and those that nothing uses. */
function findUseProblems(
  given: Given,
  { includeChanges, reuse }: RangeUsers,
  range: RangeInputs,
  event: RunEventFacts,
): Message[] {
  if (includeChanges === undefined || reuse === undefined) {
    return [];
  }
  const isNew = given['job-id'] === undefined;
  const needsTag = isNew && reuse === 'release';
  const user = findRangeUser(given, includeChanges);
  const problems: Message[] = [];
  if (needsTag && range.tag === undefined) {
    problems.push(
      message`{reuse: release} needs a tag, but this run has no tag. Set {release-tag}, or run on a
        tag.`,
    );
  }
  if (user !== undefined) {
    return [...problems, ...findRangeProblems(user, given['changes-since'], range, event)];
  }
  if (isNew && given['release-tag'] !== undefined && !needsTag) {
    problems.push(describeUnused('release-tag'));
  }
  if (isNew && range.changesSince !== undefined) {
    problems.push(describeUnused('changes-since'));
  }
  return problems;
}

/** Returns an input that needs to know what changed. */
function findRangeUser(given: Given, includeChanges: boolean): InputName | undefined {
  const hasPrompt = (given.prompt ?? given['prompt-file']) !== undefined;
  if (includeChanges && (given['job-id'] === undefined || hasPrompt)) {
    return 'include-changes';
  }
  return given.paths === undefined ? undefined : 'paths';
}

function describeUnused(name: InputName): Message {
  return message`${code(name)} is set, but nothing uses it: set {include-changes} to {true}, or
    remove ${code(name)}.`;
}

const MERGE_ADVICE = message`Start the workflow on {push} instead, because a merge pushes to its
  branch, or set {changes-since} to a tag, branch, or commit.`;

/** Finds what is wrong with the start of the changes. The parser has rejected an invalid text. */
function findRangeProblems(
  user: InputName,
  given: string | undefined,
  { tag, changesSince }: RangeInputs,
  { eventName, branch, sha, before }: RunEventFacts,
): Message[] {
  const isInvalid = given !== undefined && changesSince === undefined && !isZeros(given);
  const isMerge = /^(?:pull_request|merge_group)/.test(eventName);
  if (changesSince === LAST_RUN) {
    return findLastRunProblems(tag, isMerge ? undefined : branch);
  }
  const name = changesSince && toRefName(changesSince);
  if (name !== undefined && (name === branch || name === sha)) {
    return [
      message`{changes-since} is the branch or commit of this run, so nothing would ever have
        changed. Set it to a tag, another branch, an earlier commit, or {last successful run}.`,
    ];
  }
  if (isInvalid || (tag ?? changesSince ?? before) !== undefined) {
    return [];
  }
  const advice = isMerge
    ? MERGE_ADVICE
    : message`Set {changes-since} to {last successful run}, or to a tag, branch, or commit.`;
  return [
    message`${code(user)} needs to know where the changes begin, which a run for
      ${code(eventName)} doesn't say. ${advice}`,
  ];
}

function findLastRunProblems(tag: string | undefined, branch: string | undefined): Message[] {
  if (tag !== undefined) {
    return [
      message`{changes-since} can't be {last successful run} for a tag. Remove it to begin at the
        previous version, or set it to a tag, branch, or commit.`,
    ];
  }
  if (branch === undefined) {
    return [
      message`{changes-since} can't be {last successful run} for this event. ${MERGE_ADVICE}`,
    ];
  }
  return [];
}

/**
 * Finds variables of inputs that don't exist. The runner only warns about them, and `dryrun: true`
 * would start a job. GitHub's runner sets only what is under `with` and the defaults of action.yml,
 * so other variables come from `env`, from `GITHUB_ENV`, or from the runner's own environment (and,
 * in act before 0.2.64 and its derivatives, from an outer composite action). They are errors, too:
 * nothing tells them from a misspelled input. An empty variable is absent, so that a step can clear
 * one that it inherits.
 */
function findUnknown(env: NodeJS.ProcessEnv): Message[] {
  const known = INPUT_NAMES.map(toVariable);
  const unknown = Object.keys(env).filter(
    (variable) =>
      variable.startsWith('INPUT_') && !known.includes(variable) && env[variable]?.trim() !== '',
  );
  if (unknown.length === 0) {
    return [];
  }
  const problems = unknown.map((variable) => {
    const name = variable.slice('INPUT_'.length).toLowerCase();
    return message`${code(name)} is not an input of this action: correct its name, or remove it. If
      it is not under ${code('with')}, set ${code(variable)} to ${code("''")} in the
      ${code('env')} of this step.`;
  });
  const names = INPUT_NAMES.map(code).reduce((before, next) => message`${before}, ${next}`);
  return [...problems, message`The inputs are ${names}.`];
}

function createRequest(
  jobId: string | undefined,
  prompt: string | undefined,
): JobRequest | undefined {
  if (jobId === undefined) {
    return prompt === undefined ? undefined : { kind: 'create', prompt };
  }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', jobId, prompt };
}
