/** What a client is connected with. */
export interface ConnectCommand {
  readonly client: string;
  readonly command: string;
}

/** Lines for a shell, which reads the token from its file: what is shown, copied and pasted holds none. */
export function connectCommands(url: string, tokenFile: string): [ConnectCommand, ...ConnectCommand[]] {
  const token = `$(cat ${/^[\w~./-]+$/.test(tokenFile) ? tokenFile : quotedForShell(tokenFile)})`;
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

/** A shell reads `~` only where it is not quoted. */
function quotedForShell(path: string): string {
  const [, home = '', rest = ''] = /^(~\/)?(.*)$/s.exec(path) ?? [];
  return `${home}'${rest.replaceAll("'", String.raw`'\''`)}'`;
}
