import type { Principal } from '../../core/principal.ts';
import type { Signalbox } from '../../signalbox.ts';

const holder = /^token:(tok_[^/]+)/;

/**
 * Why nothing may begin now in the name of a principal, which is when the token it came with is good no longer, or binds it to
 * a profile: sessions have the profile of their agent, which may be a wider one.
 */
export async function tokenRefusal(tokens: Signalbox['tokens'], { id }: Principal): Promise<string | undefined> {
  const [, tokenId] = holder.exec(id) ?? [];
  if (tokenId === undefined) return undefined;
  const token = await tokens.find(tokenId);
  if (token === undefined) return `there is no token ${tokenId} any more`;
  const ended = { revoked: 'was revoked', expired: 'has expired', active: undefined }[token.state];
  if (ended !== undefined) return `the token ${tokenId} ${ended}`;
  if (token.profile === undefined) return undefined;
  return `the token ${tokenId} is bound to the profile ${token.profile}, and begins no sessions`;
}
