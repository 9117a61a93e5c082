/** The AI SDK repeats a provider's warnings with every step; once is enough. A host that has set how they are told keeps that. */
export function warnOnce(): void {
  const told = new Set<string>();
  globalThis.AI_SDK_LOG_WARNINGS ??= ({ warnings, provider = 'model', model = '' }) => {
    for (const warning of warnings) {
      const text = `${provider} ${model}: ${JSON.stringify(warning)}`;
      if (told.has(text)) continue;
      told.add(text);
      process.emitWarning(text, 'SignalboxWarning');
    }
  };
}
