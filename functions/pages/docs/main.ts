import { addCopyButtons } from './copy-buttons.ts';
import { startSearch } from './search.ts';

addCopyButtons();
startSearch();
