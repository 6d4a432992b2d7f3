import './interpreted-schemas.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadDemo } from '../api-key.ts';
import { Page } from './page.tsx';

void loadDemo().then((demo) =>
  createRoot(document.getElementById('page') as HTMLElement).render(
    <StrictMode>
      <Page demo={demo} />
    </StrictMode>,
  ),
);
