import './interpreted-schemas.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';

createRoot(document.getElementById('page') as HTMLElement).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
