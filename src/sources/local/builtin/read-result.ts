import type { ResultPage } from '../../../journal/store/store.ts';
import type { Principal } from '../../../core/principal.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { callOfResult } from '../../../core/calls/result-uri.ts';

/** What `read_result` needs. */
export interface ReadResultDependencies {
  readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined>;
  /** The longest page that is handed out whole itself, in characters. */
  readonly longestPage: number;
}

/** Which part of which result is wanted. */
export interface ReadResultArguments {
  readonly uri: string;
  readonly offset: number;
  readonly limit: number;
}

/** What `read_result` answers. */
export type ReadResultAnswer = Omit<ResultPage, 'owner'> & { readonly uri: string };

/** Pages through a result that was too large to be handed out whole. Only whoever made the call may read it. */
export async function readResult(
  { readResult: read, longestPage }: ReadResultDependencies,
  { uri, offset, limit }: ReadResultArguments,
  principal: Principal,
): Promise<ReadResultAnswer> {
  const page = await read(callOfResult(uri), offset, Math.min(limit, longestPage));
  // One message for both: whoever may not read a result learns nothing about it.
  if (page === undefined || page.owner !== principal.id)
    throw new SignalboxError('result-unknown', `there is no result ${uri} that you can read`);
  const { owner: _, ...rest } = page;
  return { uri, ...rest };
}
