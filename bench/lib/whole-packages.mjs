// The action's create request, written the usual way, with each package imported whole: the
// reference for the savings of importing parts. Bundled by whole-bundle.ts.

import { getInput, setOutput, setSecret } from '@actions/core';
import { request } from 'undici';
import { object, string } from 'zod';

const inputs = object({ prompt: string(), project: string(), key: string(), url: string() }).parse({
  prompt: getInput('prompt'),
  project: getInput('project-id'),
  key: getInput('api-key'),
  url: getInput('base-url'),
});
setSecret(inputs.key);
const { body } = await request(`${inputs.url}/v2/agent/${inputs.project}/job`, {
  method: 'POST',
  headers: { authorization: `Bearer ${inputs.key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: inputs.prompt }),
});
const job = object({ id: string(), status: string() }).parse(await body.json());
setOutput('status', job.status);
