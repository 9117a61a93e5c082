import type { ProfileSettings } from '../../../catalog/profile.ts';

const maxServerCharacters = 2000;
const maxTotalCharacters = 16_000;

const naming = 'each is named mcp__{server}__{tool}. ';

/** Returns the instructions for models: about this server, then those of the servers behind it. */
export function instructionsFor(
  servers: readonly { readonly server: string; readonly text: string }[],
  names: ProfileSettings['names'],
): string {
  const own =
    `Signalbox brings together the tools of several servers; ${names === 'own' ? '' : naming}Some calls need a human’s ` +
    'approval: a result that says so is no failure. Tell the user, and make exactly the same call again once it is approved.';
  const parts = [own];
  let room = maxTotalCharacters;
  for (const { server, text } of servers) {
    const part = `The server ${server} says of its own tools:\n${clipped(text)}`;
    if (part.length > room) continue;
    room -= part.length;
    parts.push(part);
  }
  return parts.join('\n\n');
}

function clipped(text: string): string {
  return text.length <= maxServerCharacters ? text : `${text.slice(0, maxServerCharacters).toWellFormed()}…`;
}
