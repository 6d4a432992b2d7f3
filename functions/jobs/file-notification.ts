import * as z from 'zod/mini';

/** The message that S3 sends for each file created in the bucket, and when notifications are set up. */
export const FileNotification = z.union([
  z.object({ Records: z.array(z.object({ s3: z.object({ object: z.object({ key: z.string() }) }) })) }),
  z.object({ Event: z.literal('s3:TestEvent') }),
]);

/** Returns the keys of the created files. */
export const createdKeys = (notification: z.infer<typeof FileNotification>): string[] =>
  'Event' in notification
    ? []
    : notification.Records.map(({ s3 }) => decodeURIComponent(s3.object.key.replaceAll('+', ' ')));
