import { getJobId } from '../state/run-state.ts';
import { code, type Message, message } from '../text/message.ts';
import { describeCost } from './cost.ts';
import { seeAttempt } from './earlier-job.ts';
import { describeEnding, type Ending, getLevel, type Level } from './endings.ts';
import { completeTitle, type FinalFacts, isPossibleDuplicate } from './facts.ts';
import { canAttach, copyJobId, ofProject } from './next-steps.ts';
import { describeRerun } from './rerun.ts';

/** The answers to four questions: what happened, what it cost, what to do, what a re-run does. */
export interface Words extends Ending {
  readonly level: Level;
  /** Each in a form that can follow "Cost:" and "Re-run:". */
  readonly cost: Message;
  readonly rerun: Message;
}

/**
 * Returns the words for a run that has ended. `outputProblem` says why the outputs couldn't be
 * written.
 */
export function describeRun(facts: FinalFacts, outputProblem?: string): Words {
  const ending = describeEnding(facts);
  const words = {
    ...ending,
    next: [...ending.next, ...compareJobs(facts)],
    title: completeTitle(ending.title, facts),
    level: getLevel(facts.outcome, facts.state),
    cost: describeCost(facts),
    rerun: describeRerun(facts),
  };
  const isAlreadySaid = facts.outcome.code === 'unwritable-output';
  return outputProblem === undefined || isAlreadySaid
    ? words
    : addOutputProblem(words, outputProblem, facts);
}

/** What to do after a success if there may be a second job. */
function compareJobs(facts: FinalFacts): Message[] {
  const { earlierJob } = facts.state;
  if (facts.outcome.code !== undefined) {
    return [];
  }
  if (earlierJob?.kind === 'other-task' && earlierJob.jobId !== undefined) {
    return [
      message`Agent job ${code(earlierJob.jobId)} of an earlier attempt had another task. It may
        open a pull request, too.`,
    ];
  }
  const isOtherPossible = earlierJob?.kind === 'found' && earlierJob.other !== undefined;
  return isPossibleDuplicate(facts) || isOtherPossible
    ? [
        message`Look for another pull request in the documentation repository${ofProject(facts)}. If
          there are two for the same task, keep one, and close the
          other.${seeAttempt(earlierJob)}`,
      ]
    : [];
}

function addOutputProblem(words: Words, problem: string, facts: FinalFacts): Words {
  const isFailure = words.level === 'error';
  const isKnown = getJobId(facts.state) !== undefined && canAttach(facts);
  const again = isKnown
    ? message` To write them, start a new run with this {job-id} and no
        prompt.${copyJobId(facts)}`
    : [];
  return {
    ...words,
    level: 'error',
    title: isFailure ? words.title : `${words.title}, and the outputs were not written`,
    happened: message`${words.happened} The outputs couldn't be written (${problem}), so later steps
      don't get them.`,
    next: [
      ...words.next,
      message`Check that the runner's disk isn't full, and that the GITHUB_OUTPUT file is
        writable.${again}`,
    ],
  };
}
