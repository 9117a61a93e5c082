import type { ResultPage } from '../../../journal/store/store.ts';
import type { Principal } from '../../../core/principal.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { callOfResult } from '../../../core/calls/result-uri.ts';

/** Dependencies of `read_result`. */
export interface ReadResultDependencies {
  readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined>;
  /** Maximum length of a page, in characters. */
  readonly longestPage: number;
}

/** The arguments of `read_result`. */
export interface ReadResultArguments {
  readonly uri: string;
  readonly offset: number;
  readonly limit: number;
}

/** The result of `read_result`. */
export type ReadResultAnswer = Omit<ResultPage, 'owner'> & { readonly uri: string };

/** Reads a page of a result that was too large to return whole. Only the principal that made the call may read it. */
export async function readResult(
  { readResult: read, longestPage }: ReadResultDependencies,
  { uri, offset, limit }: ReadResultArguments,
  principal: Principal,
): Promise<ReadResultAnswer> {
  const page = await read(callOfResult(uri), offset, Math.min(limit, longestPage));
  // The same message for both cases, so that the existence of an unreadable result is not revealed.
  if (page === undefined || page.owner !== principal.id)
    throw new SignalboxError('result-unknown', `there is no result ${uri} that you can read`);
  const { owner: _, ...rest } = page;
  return { uri, ...rest };
}
