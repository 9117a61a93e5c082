const mark = 'needs sign-in (';

/** Only a person can help: the words by which every surface tells it. */
export function needsSignIn(why: string, howToSignIn: string): string {
  return `${mark}${why}): ${howToSignIn}`;
}

/** Whether a reason why a server is down says that somebody has to sign in. */
export function saysNeedsSignIn(reason: string | undefined): boolean {
  return reason?.includes(mark) === true;
}
