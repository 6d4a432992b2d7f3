import { createRoot } from 'react-dom/client';
import { loadDemo } from '../api-key.ts';
import { Shell } from './shell.tsx';
import { loadTheme, showTheme } from './theme.ts';

showTheme(loadTheme());

void loadDemo().then((demo) =>
  createRoot(document.getElementById('page') as HTMLElement).render(<Shell demo={demo} />),
);
