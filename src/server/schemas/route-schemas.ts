import { z } from '@hono/zod-openapi';
import { type ProblemCode, type ProblemStatus, problemCodes } from '../problems/problem-codes.ts';
import { problemType } from '../problems/problem.ts';

const codes = Object.keys(problemCodes) as ProblemCode[];

const problemSchema = z
  .object({
    type: z.string().describe('`urn:signalbox:problem:` and the code.'),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes).describe('A stable code for programs.'),
    detail: z.string().describe('The error, and how to fix it.'),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('The errors in the request, with their locations.'),
    instance: z.string().optional().describe('Identifies this occurrence in the log of the server.'),
  })
  .openapi('Problem');

type ProblemResponses<Status extends ProblemStatus> = {
  [Each in Status]: { description: string; content: { [problemType]: { schema: typeof problemSchema } } };
};

/** Documents the problem responses of a route. The statuses that all routes share are added. */
export function problems<const Status extends ProblemStatus = never>(
  ...statuses: Status[]
): ProblemResponses<Status | 401 | 403 | 421 | 429> {
  const described = [401, 403, 421, 429, ...statuses].map((status) => {
    const matching = codes.filter((code) => problemCodes[code].status === status);
    const description = matching.map((code) => `\`${code}\`: ${problemCodes[code].title}.`).join(' ');
    return [status, { description, content: { [problemType]: { schema: problemSchema } } }];
  });
  return Object.fromEntries(described) as ProblemResponses<Status | 401 | 403 | 421 | 429>;
}

interface JsonContent<Schema extends z.ZodType> {
  content: { 'application/json': { schema: Schema } };
}

/** Documents the JSON body of a request. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema): JsonContent<Schema> {
  return { content: { 'application/json': { schema } } };
}

/** Documents a JSON response. */
export function jsonResponse<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
): JsonContent<Schema> & { description: string } {
  return { description, content: { 'application/json': { schema } } };
}

/** The parameters of a path with one id. */
export const idParams = z.object({ id: z.string() });

const seq = z
  .string()
  .regex(/^\d{1,15}$/, 'expected the id of an event, an integer')
  .transform(Number)
  .optional();

/** The event id to resume after. Browsers send the header when they reconnect; the query parameter is for URLs. */
export const resumeHeaders = z.object({
  'last-event-id': seq.openapi({ type: 'string', description: 'The `id` of the last received event.' }),
});

export const resumeQuery = z.strictObject({
  after: seq.openapi({ type: 'string', description: 'Like `Last-Event-ID`, which takes precedence.' }),
});
