// Preloaded after the time is scaled: tells at the end by how many days the wall clock went off the monotonic one.

const startMs = Date.now() - performance.now();

process.on('exit', () => {
  const offMs = Date.now() - performance.now() - startMs;
  process.stdout.write(`wall clock off by ${Math.round(offMs / 86_400_000)} d\n`);
});
