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
    detail: z.string().describe('What happened, and how to fix it.'),
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
