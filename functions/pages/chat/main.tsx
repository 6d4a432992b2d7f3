import './interpreted-schemas.ts';
import { createRoot } from 'react-dom/client';
import { loadDemo } from '../api-key.ts';
import { Page } from './page.tsx';

void loadDemo().then((demo) => createRoot(document.getElementById('page') as HTMLElement).render(<Page demo={demo} />));
