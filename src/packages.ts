// The parts of packages that the action uses, imported by path: whole packages also load fetch,
// Octokit, and a client for identity tokens. With them, the bundle has 2.1 MB instead of 1.0 MB and
// takes 1.5 times as long to start. No version promises these paths, so package.json pins exact
// versions.
// @actions/core and @actions/github export only their main modules, hence `node_modules`.

export { checkBypass } from '@actions/http-client/lib/proxy';
export { default as connect } from 'undici/lib/api/api-connect.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { issue, issueCommand } from '../node_modules/@actions/core/lib/command.js';
export { prepareKeyValueMessage } from '../node_modules/@actions/core/lib/file-command.js';
export { Context } from '../node_modules/@actions/github/lib/context.js';
