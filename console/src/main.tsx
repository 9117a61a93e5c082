import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme } from './app/theme.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/sessions.css';
import './styles/inbox.css';
import './styles/split.css';
import './styles/tools.css';
import './styles/servers.css';
import './styles/lock.css';
import './styles/calls.css';
import './styles/charts.css';
import './styles/policies.css';

applyTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the console');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
