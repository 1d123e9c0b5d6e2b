// Stand-in for the GitHub CLI: passes its arguments to the server in gh-server.ts, and passes on
// its response.
const { request } = require('node:http');

const { GH_TOKEN = '', GH_REPO = '', GH_STAND_IN = '' } = process.env;
const call = {
  args: process.argv.slice(2),
  token: GH_TOKEN,
  repository: GH_REPO,
  folder: process.cwd(),
};
request(GH_STAND_IN, { method: 'POST' }, async (response) => {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const { output, error } = JSON.parse(text);
  if (output) process.stdout.write(output);
  if (error) process.stderr.write(`${error}\n`);
  process.exitCode = error ? 1 : 0;
}).end(JSON.stringify(call));
