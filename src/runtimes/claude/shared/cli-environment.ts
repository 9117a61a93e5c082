/** What belongs to Claude Code, and how it reaches the network. */
const known =
  /^(ANTHROPIC|CLAUDE|XDG)_|^(HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy)$|^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|IS_SANDBOX|TERM|COLORTERM)$/;

/**
 * The variables that Claude Code gets, besides a few harmless ones: its own, and those that are named. Whatever is here can be
 * read by the commands an agent runs, so our own secrets are not; a token of ours would let it answer its own questions.
 */
export function cliEnvironment(named: Readonly<Record<string, string>> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => known.test(name)) as [string, string][];
  // Claude Code that was itself started by Claude Code would take itself for a part of it.
  const inherited = own.filter(([name]) => name !== 'CLAUDECODE' && !name.startsWith('CLAUDE_CODE_ENTRYPOINT'));
  return { ...Object.fromEntries(inherited), ...named };
}
