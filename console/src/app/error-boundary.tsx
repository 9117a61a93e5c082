import { Component, type ReactNode } from 'react';
import { ProblemNote } from '../parts/problem-note.tsx';

interface Caught {
  readonly error?: unknown;
}

/** One broken page must not take the others along. */
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
