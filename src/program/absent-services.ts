import { AppError } from "../base/errors.ts";
import type { ImageConverter } from "../gateway/distant-calls.ts";

/** Stands where the service is not made yet: every call of it fails and says so. */
export const absentImages: ImageConverter = {
  convert: () =>
    Promise.reject(new AppError("unsupported", "This part of the program is not built.")),
};
