/** A shell command that connects a client. */
interface ConnectCommand {
  readonly client: string;
  readonly command: string;
}

/** Returns shell commands that connect clients. They read the token from its file, so that no token is displayed or copied. */
export function connectCommands(url: string, tokenFile: string): [ConnectCommand, ...ConnectCommand[]] {
  const token = `$(cat ${/^[\w~./-]+$/.test(tokenFile) ? tokenFile : quoteForShell(tokenFile)})`;
  const header = `--header "Authorization: Bearer ${token}"`;
  return [
    { client: 'Claude Code', command: `claude mcp add --transport http signalbox ${url}/mcp ${header}` },
    { client: 'Gemini CLI', command: `gemini mcp add --transport http signalbox ${url}/mcp ${header}` },
    {
      client: 'VS Code',
      command: `code --add-mcp "{\\"name\\":\\"signalbox\\",\\"type\\":\\"http\\",\\"url\\":\\"${url}/mcp\\",\\"headers\\":{\\"Authorization\\":\\"Bearer ${token}\\"}}"`,
    },
  ];
}

/** Quotes a path for the shell, except a leading `~/`, which the shell expands only without quotes. */
function quoteForShell(path: string): string {
  const [, home = '', rest = ''] = /^(~\/)?(.*)$/s.exec(path) ?? [];
  return `${home}'${rest.replaceAll("'", String.raw`'\''`)}'`;
}
