"""The whole system on one machine: model services and Airflow, started, watched and stopped; and the demo."""
