import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod/mini';
import { Page } from './page.tsx';

// Zod would try whether it may compile code, which this page's security policy forbids and reports.
z.config({ jitless: true });

createRoot(document.getElementById('page') as HTMLElement).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
