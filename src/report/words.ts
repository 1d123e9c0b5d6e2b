import { formatInstant } from '../text/duration.ts';
import { joinSentences, type Message, message, toSentence } from '../text/message.ts';
import { type Cost, findCost, findRerun, type Rerun } from './cost-and-rerun.ts';
import type { Level, Remedy } from './endings.ts';
import { completeTitle, type Facts, type FinalFacts, isNamed } from './facts.ts';
import { findEnding } from './find-ending.ts';

/** The answers to four questions: what happened, what to do, what it cost, what a re-run does. */
export interface Words {
  readonly title: string;
  readonly level: Level;
  /** What happened, in whole sentences. Empty if the title says it. */
  readonly happened: Message;
  /** Problems with inputs, each as a sentence. */
  readonly problems: readonly Message[];
  readonly next: Message;
  /** True if `job-id` is to be copied into a new run. */
  readonly copiesJobId: boolean;
  readonly cost: Cost;
  readonly rerun: Rerun;
  /** The section of the page about errors. */
  readonly anchor: string;
}

/** Returns the words for a run that has ended. */
export function describeEnd(facts: FinalFacts): Words {
  const { outcome, outputProblem } = facts;
  const rerun = findRerun(facts);
  const { title, level = 'error', happened = [], next = [], remedy } = findEnding(facts, rerun);
  const toDo = remedy === undefined ? [] : findRemedy(remedy, rerun, facts);
  const words: Words = {
    title: completeTitle(title, facts),
    level,
    happened: joinSentences(happened, describeUnrecorded(facts)),
    problems: outcome.code === 'invalid-input' ? outcome.problems : [],
    next: joinSentences(next, toDo),
    copiesJobId: toDo === ATTACH,
    cost: findCost(facts),
    rerun,
    anchor: outcome.code ?? outcome.result,
  };
  return outputProblem === undefined || outcome.code === 'unwritable-output'
    ? words
    : addOutputProblem(words, outputProblem);
}

const ATTACH = message`To wait, start a new run with this {job-id} and no prompt.`;
const WAIT = message`Re-run to keep waiting.`;

/** Returns what to do. A remedy that pays says so. */
export function findRemedy(remedy: Remedy, rerun: Rerun, facts: Facts): Message {
  const newJob = findNewJob(rerun, facts);
  const isFree = rerun === 'shows' || rerun === 'waits';
  switch (remedy) {
    case 'new-job':
      return message`Still need a job? ${newJob}`;
    case 'if-none':
      return facts.state.job?.prLink === undefined
        ? message`${lookForPullRequest(facts)} None after an hour? ${newJob}`
        : [];
    case 'look-again':
      return isFree ? message`Re-run to look again. Still need a job? ${newJob}` : ATTACH;
    case 'wait':
      return isFree ? WAIT : ATTACH;
    case 'wait-longer':
      return isFree ? message`${WAIT} If this happens often, raise {timeout-minutes}.` : ATTACH;
    case 'attach':
      return ATTACH;
  }
}

function findNewJob(rerun: Rerun, facts: Facts): Message {
  if (rerun === 'pays') {
    return message`Re-run (paid).`;
  }
  // For a release, another run finds the same record.
  return facts.inputs?.reuse === 'release' && !isNamed(facts)
    ? message`Set {reuse: rerun} in a new run (paid).`
    : message`Start a new run (paid).`;
}

/** The job is known, but later runs can't find it. */
function describeUnrecorded({ state: { claim, job } }: FinalFacts): Message {
  return claim.kind === 'unsettled' && job !== undefined
    ? toSentence(message`The job id couldn't be recorded: ${claim.detail}`)
    : [];
}

/** Later steps don't get the outputs, so the step fails. */
function addOutputProblem(words: Words, problem: string): Words {
  return {
    ...words,
    title: `${words.title}, outputs not written`,
    level: 'error',
    happened: joinSentences(
      words.happened,
      toSentence(message`The outputs can't be written: ${problem}`),
    ),
    next: joinSentences(words.next, message`Free disk space on the runner.`),
    copiesJobId: true,
  };
}

function lookForPullRequest({ state: { sentAt, rival, job } }: Facts): Message {
  const createdAt = job?.createdAt === undefined ? undefined : Date.parse(job.createdAt);
  const since = sentAt ?? rival?.atMs ?? createdAt;
  const after = since === undefined ? [] : message` opened after ${formatInstant(since)}`;
  return message`Check the docs repository for a pull request${after}.`;
}
