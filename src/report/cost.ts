import { getEffect } from '../state/outcome.ts';
import { type Message, message } from '../text/message.ts';
import { type Facts, isDryRun, isFollowUp, isRehearsal } from './facts.ts';

/** Says what this step has cost. A sentence for a table, or to follow "Cost:". */
export function describeCost(facts: Facts): Message {
  const effect = getEffect(facts.state, facts.outcome);
  if (effect === 'none') {
    return message`nothing for this step.`;
  }
  if (isRehearsal(facts)) {
    return message`nothing, because this is a rehearsal.`;
  }
  if (isDryRun(facts)) {
    return message`possibly credits, because the service accepted a message to a job that can't
      exist.`;
  }
  if (isFollowUp(facts)) {
    return message`possibly credits for the follow-up.`;
  }
  return effect === 'certain'
    ? message`credits for one job.`
    : message`possibly credits for one job.`;
}

/** Returns `another paid job`. In a rehearsal, no job is paid. */
export function anotherJob(facts: Facts): Message {
  return isRehearsal(facts) ? message`another job` : message`another paid job`;
}

/** Continues a sentence about something that starts a job. Empty in a rehearsal. */
export function atCost(facts: Facts): Message {
  return isRehearsal(facts) ? [] : message`, which may cost credits`;
}

/** Continues a sentence about something that is free. Empty in a rehearsal, where all is. */
export function atNoCost(facts: Facts): Message {
  return isRehearsal(facts) ? [] : message` at no cost`;
}
