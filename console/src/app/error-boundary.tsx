import { Component, type ReactNode } from 'react';
import { ProblemNote } from '../components/problem-note.tsx';

interface Caught {
  readonly error?: unknown;
}

/** Shows an error in place of a page that throws, so that the rest of the console keeps working. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, Caught> {
  override state: Caught = {};

  static getDerivedStateFromError(error: unknown): Caught {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="page">
        <ProblemNote error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
      </div>
    );
  }
}
