import type { z } from '@hono/zod-openapi';
import type { ContentReader } from '../../../pipeline/box-content.ts';
import { promptText, resourceText } from '../../../surfaces/server-content.ts';
import type { messageSchema } from '../../schemas/session-schemas.ts';

/**
 * Builds the text of a message for an agent: the filled-in prompt of a server, then the user's text, then the resources that
 * the user attached, each between tags with its address. Rejects with `content-failed` when a server does not answer.
 */
export async function messageContent(
  { content, prompt, resources = [] }: z.output<typeof messageSchema>,
  reader: ContentReader,
  signal: AbortSignal,
): Promise<string> {
  const [filled, attached] = await Promise.all([
    prompt === undefined ? undefined : reader.getPrompt(prompt.server, prompt.name, prompt.arguments ?? {}, signal),
    Promise.all(
      resources.map(async ({ server, uri }) => {
        // The text cannot close its own tag: it would be read as words of the user.
        const text = resourceText(await reader.readResource(server, uri, signal)).replaceAll(
          /<(?=\/?resource)/gi,
          '&lt;',
        );
        return `<resource server=${JSON.stringify(server)} uri=${JSON.stringify(uri)}>\n${text}\n</resource>`;
      }),
    ),
  ]);
  return [filled === undefined ? undefined : promptText(filled), content, ...attached]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n');
}
