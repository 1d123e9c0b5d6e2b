/**
 * The parts of @actions/core that the action uses. Its main module also loads a client for identity tokens,
 * and with it a second HTTP client and all of undici: that would double the bundle. The package exports its
 * main module alone, hence the paths; package.json pins the exact version, and the tests of the bundle read
 * every file and command that these parts write.
 */

export { issue, issueCommand } from '../../node_modules/@actions/core/lib/command.js';
export {
  issueFileCommand,
  prepareKeyValueMessage,
} from '../../node_modules/@actions/core/lib/file-command.js';
