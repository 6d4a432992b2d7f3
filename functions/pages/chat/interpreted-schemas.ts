import * as z from 'zod/mini';

// Zod would try whether it may compile code, which the page's security policy forbids and reports. It tries when the
// first schema is made, so this is imported before whatever makes one.
z.config({ jitless: true });
