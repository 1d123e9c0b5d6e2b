/** True for a key of the emulator: the service accepts none, so that nothing can cost credits. */
export function isEmulatorKey(apiKey: string): boolean {
  return apiKey.startsWith('mint_emulator_');
}
