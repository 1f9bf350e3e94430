"""What people see of a plan: terminal, HTML report and workbook, in English and Chinese."""
