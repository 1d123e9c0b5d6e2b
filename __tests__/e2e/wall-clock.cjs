// Preloaded after the time is scaled: prints at the end by how many days the wall clock differs
// from the monotonic one.

process.on('exit', () => {
  const offMs = Date.now() - performance.timeOrigin - performance.now();
  process.stdout.write(`wall clock off by ${Math.round(offMs / 86_400_000)} d\n`);
});
