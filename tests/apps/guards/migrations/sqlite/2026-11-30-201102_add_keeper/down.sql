-- Made by `basalt migrate diff`; may be edited before it is first run.

-- drop index `idx_reports_keeper` of `reports`
DROP INDEX "idx_reports_keeper";

-- drop `reports.keeper`
ALTER TABLE "reports" DROP COLUMN "keeper";
