import { z } from '@hono/zod-openapi';
import { roles } from '../../core/principal.ts';
import { timestamp } from './json-schemas.ts';

export const roleSchema = z.enum(roles).openapi('Role', {
  description:
    '`viewer` reads, `agent` calls tools and runs turns and sees only its own, `approver` reads, answers and takes back, `admin` does everything.',
});

const shown = {
  id: z.string(),
  role: roleSchema,
  name: z.string().optional(),
  profile: z.string().optional().describe('The view of the catalog that its holder is bound to.'),
  state: z.enum(['active', 'expired', 'revoked']),
  createdAt: timestamp,
  expiresAt: timestamp.optional(),
  lastUsedAt: timestamp.optional().describe('To the minute.'),
  revokedAt: timestamp.optional(),
};

export const tokenSchema = z.object(shown).openapi('AccessToken', { description: 'A token without the token itself.' });

export const createdTokenSchema = z
  .object({ token: z.string().describe('Shown this once: only a hash of it is kept.'), ...shown })
  .openapi('CreatedToken');

export const tokenPageSchema = z.object({ items: z.array(tokenSchema).readonly() }).openapi('TokenPage');

export const tokenRequestSchema = z
  .strictObject({
    role: roleSchema,
    profile: z.string().optional().describe('Only for the role `agent`.'),
    name: z.string().optional().describe('Tells people what it is for.'),
    expires: z.string().optional().describe('How long it is good, as in `30d` or `12h`; for good when absent.'),
  })
  .openapi('TokenRequest');
