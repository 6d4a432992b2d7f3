/** The views that few people open every day: one file, which is smaller than four. */
export { default as Changes } from './changes/changes.tsx';
export { default as Clients } from './clients/clients.tsx';
export { default as Keys } from './keys/keys.tsx';
export { default as Webhooks } from './webhooks/webhooks.tsx';
