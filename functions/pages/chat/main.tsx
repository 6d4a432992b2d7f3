import './interpreted-schemas.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadDemoKey } from './api-key.ts';
import { Page } from './page.tsx';

void loadDemoKey().then((demoKey) =>
  createRoot(document.getElementById('page') as HTMLElement).render(
    <StrictMode>
      <Page demoKey={demoKey} />
    </StrictMode>,
  ),
);
