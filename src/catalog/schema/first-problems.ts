import type { ArgumentProblem } from '../source/source.ts';

const maxProblems = 10;
const maxMessageLength = 500;

/** Returns the first problems, each of bounded length, and the number of the rest, so that a model can correct its arguments. */
export function firstProblems<Found>(
  found: readonly Found[],
  problemOf: (found: Found) => ArgumentProblem,
): ArgumentProblem[] {
  const problems = found.slice(0, maxProblems).map((each) => {
    const { path, message } = problemOf(each);
    return { path, message: message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength)}…` };
  });
  if (found.length > maxProblems)
    problems.push({ path: '$', message: `and ${found.length - maxProblems} more problems` });
  return problems;
}
