// Preloaded into the action in tests, which start it a thousand times. Keeps the compiled code of
// the bundle in the folder QUICK_START, which is new for each run of the tests.

const { readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename, dirname, join } = require('node:path');
const v8 = require('node:v8');
const { Script } = require('node:vm');

const folder = process.env.QUICK_START;

if (Module.enableCompileCache) Module.enableCompileCache(folder);
else keepCompiledCode();

// V8 of Node 20 spends 70 ms of CPU on optimizing the HTTP parser of undici at its first response.
// The flag is set for its compilation alone, since node's own compiled code is of no use to a V8
// with other flags.
if (process.versions.v8.startsWith('11.')) {
  const { Module: WebAssemblyModule } = WebAssembly;
  WebAssembly.Module = class extends WebAssemblyModule {
    constructor(bytes) {
      v8.setFlagsFromString('--wasm-tiering-budget=1000000000');
      super(bytes);
      v8.setFlagsFromString('--wasm-tiering-budget=1800000');
    }
  };
}

/** Replaces `Module.enableCompileCache`, which Node 20 lacks. */
function keepCompiledCode() {
  const { _compile: compile } = Module.prototype;
  Module.prototype._compile = function (content, filename) {
    if (!/^(?:\d+\.)?index\.js$/.test(basename(filename)))
      return compile.call(this, content, filename);
    const { ino, mtimeMs } = statSync(filename);
    const cache = join(folder, `${ino}-${mtimeMs}`);
    const cachedData = readIfFile(cache);
    const script = new Script(Module.wrap(content), { filename, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) keepAtExit(script, cache);
    const require = (id) => this.require(id);
    const { exports } = this;
    return script
      .runInThisContext()
      .call(exports, exports, require, this, filename, dirname(filename));
  };
}

function readIfFile(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

// At exit, the cache also holds the functions that were called.
function keepAtExit(script, cache) {
  process.on('exit', () => {
    const own = `${cache}.${process.pid}`;
    try {
      writeFileSync(own, script.createCachedData());
      renameSync(own, cache);
    } catch {
      // Another process has already written it. Windows can't replace an open file.
    }
  });
}
