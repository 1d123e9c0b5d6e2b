import { LAST_JOB } from '../changes/range.ts';
import type { InputErrorKind } from '../errors.ts';
import type { GitHubContext } from '../github/context.ts';
import { type Message, message } from '../text/message.ts';
import { toRefName } from '../text/ref.ts';
import type { INPUT_DEFAULTS } from './defaults.ts';
import type { Reuse } from './parsers.ts';

export type InputName = keyof typeof INPUT_DEFAULTS;
/** What the inputs need to know of the event. */
export type RunEventFacts = Pick<
  GitHubContext,
  | 'eventName'
  | 'isEventUnread'
  | 'eventTag'
  | 'branch'
  | 'sha'
  | 'before'
  | 'takenBack'
  | 'isWithoutSecrets'
>;

/** What the rules look at. A value is undefined if its input is blank or invalid. */
interface Given extends RunEventFacts {
  /** Returns whether an input is not blank. */
  readonly has: (name: InputName) => boolean;
  readonly includeChanges: boolean | undefined;
  readonly changesSince: string | undefined;
  readonly reuse: Reuse | undefined;
  readonly skipWhilePrOpen: boolean | undefined;
  /** `release-tag`, or the tag of the event. */
  readonly tag: string | undefined;
}

type Rule = readonly [
  isBroken: (given: Given) => boolean,
  problem: Message,
  /** The rule is not checked if one of these is invalid, which is a problem of its own. */
  ...reads: InputName[],
];

type Rules = Readonly<Record<string, Rule>>;

/** No run of this event gets secrets. */
const WITHOUT_SECRETS: Rules = {
  lacksKeyWithoutSecrets: [
    ({ has, isWithoutSecrets }) => !has('api-key') && isWithoutSecrets,
    message`{api-key} is empty: Dependabot and forks get no secrets. Skip the step for them.`,
  ],
};

/** About secrets and variables. */
const OF_SECRETS: Rules = {
  lacksProjectAndKey: [
    (given) => !given.has('project-id') && lacksDefinedKey(given),
    message`{project-id} and {api-key} are empty. Define the variable and the secret that the
      workflow names.`,
  ],
  lacksProject: [
    ({ has }) => !has('project-id') && has('api-key'),
    message`{project-id} is empty. Define the variable that the workflow names.`,
  ],
  lacksKey: [
    (given) => given.has('project-id') && lacksDefinedKey(given),
    message`{api-key} is empty. Define the secret that the workflow names.`,
  ],
};

/** Between inputs, and between inputs and the event. */
const OF_WORKFLOW: Rules = {
  lacksEvent: [
    (given) =>
      (hidesAction(given) && sendsPrompt(given)) || (hidesSecrets(given) && !given.has('api-key')),
    message`{GITHUB_EVENT_PATH} names no event file that can be read, so it is unknown what started
      the run. Repair that on the runner.`,
  ],
  lacksPrompt: [
    ({ has }) => !has('prompt') && !has('prompt-file') && !has('job-id'),
    message`{prompt} is empty. Set it or {prompt-file}, or {job-id} to wait for a job.`,
  ],
  hasTwoPrompts: [
    ({ has }) => has('prompt') && has('prompt-file'),
    message`{prompt} and {prompt-file} are both set. Keep one.`,
  ],
  hasPathsForJob: [
    ({ has }) => has('paths') && has('job-id'),
    message`{paths} and {job-id} are both set. Keep one.`,
  ],
  hasUnusedTag: [
    (given) =>
      given.has('release-tag') && startsJob(given) && !usesChanges(given) && !isRecorded(given),
    message`{release-tag} has no use here. Set {include-changes} to {true}, or remove it.`,
    'include-changes',
    'reuse',
  ],
  hasUnusedStart: [
    (given) => given.changesSince !== undefined && startsJob(given) && !usesChanges(given),
    message`{changes-since} has no use here. Set {include-changes} to {true}, or remove it.`,
    'include-changes',
  ],
  beginsAtItself: [
    (given) => usesChanges(given) && isOwnRef(given),
    message`{changes-since} is the run's own branch, tag, or commit, so nothing would ever change.
      Set it to an earlier tag or commit.`,
    'release-tag',
  ],
  lacksSeries: [
    (given) => usesChanges(given) && startsAtLastJob(given) && !hasSeries(given),
    message`{changes-since} can't be {last job} for a tag or pull request. Set it to a tag, branch,
      or commit.`,
    'release-tag',
  ],
  hasLastJobForJob: [
    (given) => startsAtLastJob(given) && given.has('job-id'),
    message`{changes-since} can't be {last job} with {job-id}. Remove one of them.`,
  ],
  hasLastJobUnrecorded: [
    (given) => startsAtLastJob(given) && startsJob(given) && given.reuse === 'never',
    message`{changes-since} can't be {last job} with {reuse: never}, which records no job. Remove
      {reuse}.`,
  ],
  skipsWithoutSeries: [
    (given) => given.skipWhilePrOpen === true && !startsAtLastJob(given),
    message`{skip-while-pr-open} needs {changes-since: last job}. Set that, or remove it.`,
    'changes-since',
  ],
  lacksStart: [
    (given) => lacksStart(given) && !hidesAction(given) && given.takenBack === undefined,
    message`{changes-since} can't be empty for this event. Set it to {last job}, or for pull
      requests and merge queues to a tag, branch, or commit.`,
    'changes-since',
    'release-tag',
  ],
};

const RULES: Readonly<Record<InputErrorKind, Rules>> = {
  'no-secrets': WITHOUT_SECRETS,
  secret: OF_SECRETS,
  workflow: OF_WORKFLOW,
};

/** A problem, as a sentence, and what has to change. */
export interface InputProblem {
  readonly text: Message;
  readonly kind: InputErrorKind;
}

/** Returns the problem of each rule that the inputs break. */
export function findBrokenRules(given: Given, invalid: ReadonlySet<InputName>): InputProblem[] {
  return (Object.keys(RULES) as InputErrorKind[]).flatMap((kind) =>
    Object.values(RULES[kind])
      .filter(([, , ...reads]) => !reads.some((name) => invalid.has(name)))
      .filter(([isBroken]) => isBroken(given))
      .map(([, text]) => ({ text, kind })),
  );
}

function startsJob({ has }: Given): boolean {
  return !has('job-id');
}

/** True also for a follow-up. */
function sendsPrompt(given: Given): boolean {
  return startsJob(given) || given.has('prompt') || given.has('prompt-file');
}

/** True if the run records its job, on the commit of its tag. */
function isRecorded({ reuse }: Given): boolean {
  return reuse !== 'never';
}

/** True if the run asks what changed: for the prompt, or to compare with `paths`. */
function usesChanges(given: Given): boolean {
  return (given.includeChanges === true && sendsPrompt(given)) || given.has('paths');
}

function lacksStart(given: Given): boolean {
  return usesChanges(given) && (given.changesSince ?? given.tag ?? given.before) === undefined;
}

/** True if only the unread event knows whether it takes something back, and what changed. */
function hidesAction({ isEventUnread, eventName }: Given): boolean {
  return isEventUnread && /^(?:push|release|pull_request(?:_target)?)$/.test(eventName);
}

/** True if only the unread event knows whether the pull request is from a fork. */
function hidesSecrets({ isEventUnread, eventName, isWithoutSecrets }: Given): boolean {
  return isEventUnread && /^pull_request(?!_target)/.test(eventName) && !isWithoutSecrets;
}

/** True if the key is missing although the run gets secrets. */
function lacksDefinedKey(given: Given): boolean {
  return !given.has('api-key') && !given.isWithoutSecrets && !hidesSecrets(given);
}

function startsAtLastJob({ changesSince }: Given): boolean {
  return changesSince === LAST_JOB;
}

/** False for tags and pull requests: no later run has their commits in its history. */
function hasSeries({ tag, branch, eventName }: Given): boolean {
  const isMerge = /^(?:pull_request|merge_group)/.test(eventName);
  return tag === undefined && branch !== undefined && !isMerge;
}

/** True for the branch, tag, or commit of the run in any spelling that Git takes. */
function isOwnRef({ changesSince = '', branch, tag, sha }: Given): boolean {
  const name = toRefName(changesSince);
  const isCommit = /^[0-9a-f]{7,}$/i.test(name) && sha?.startsWith(name.toLowerCase()) === true;
  const own = [branch, branch && `heads/${branch}`, tag, tag && `tags/${tag}`];
  return isCommit || own.includes(name);
}
