import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
// Before the pages, whose stylesheets override these.
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/split.css';
import { App } from './app/app.tsx';
import { applyTheme } from './app/theme.tsx';

applyTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root element');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
